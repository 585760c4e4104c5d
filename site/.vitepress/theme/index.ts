import theme from 'vitepress/theme-without-fonts'
import './postil.css'

export default theme
