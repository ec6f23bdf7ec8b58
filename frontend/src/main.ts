import './app.css'
import { mount } from 'svelte'
import App from './App.svelte'
import { applyTheme } from './theme.svelte'

applyTheme()

const target = document.getElementById('app')
if (!target) throw new Error('index.html has no element #app')

export default mount(App, { target })
